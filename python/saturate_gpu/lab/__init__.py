"""Where the time of attention goes, in PyTorch and in JAX.

    from saturate_gpu.lab.torch_attention import format_profile, profile_attention_components
    print(format_profile(profile_attention_components(seq_len=1024, d_model=512, num_heads=8)))

    timing.py            how a call is timed
    work.py              operations, bytes and memory from the sizes
    roofline.py          each part against what the machine does at best; identify_bottleneck
    device.py            what the machine is, and what it did meanwhile
    torch_attention.py   benchmark_function, profile_attention_components, optimize_attention, measure_memory_usage
    jax_attention.py     the same four for JAX
    torch_layers.py      a transformer layer and Whisper's, forward and backward
    jax_layers.py        the same for JAX
    torch_loader.py      how fast a DataLoader delivers
    jax_data.py          random operands, and float64 to compare with
    torch_device.py, jax_device.py, torch_trace.py   what the frameworks and their profilers tell

saturate bench runs the same files.
"""
