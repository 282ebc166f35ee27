amdcompat --help
amdcompat inspect --help
amdcompat check --help
amdcompat convert --help
amdcompat roundtrip --help
