"""Where the time of attention goes, in PyTorch and in JAX.

    from saturate_gpu.lab.torch_attention import format_profile, profile_attention_components
    print(format_profile(profile_attention_components(seq_len=1024, d_model=512, num_heads=8)))

    timing.py            how a call is timed
    work.py              operations, bytes and memory from the sizes
    roofline.py          each part compared with the machine's best; identify_bottleneck
    device.py            the machine: its hardware, and its state during a measurement
    torch_attention.py   benchmark_function, profile_attention_components, optimize_attention, measure_memory_usage
    jax_attention.py     the same four for JAX
    torch_layers.py      a transformer layer and Whisper's, forward and backward
    jax_layers.py        the same for JAX
    torch_loader.py      how fast a DataLoader delivers
    jax_data.py          random operands, and float64 to compare with
    torch_device.py, jax_device.py, torch_trace.py   facts from the frameworks and their profilers

saturate bench runs the same files.
"""
