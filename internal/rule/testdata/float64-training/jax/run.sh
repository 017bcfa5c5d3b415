export JAX_ENABLE_X64=1
python fit.py
