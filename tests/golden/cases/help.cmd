amdcompat --help
amdcompat inspect --help
amdcompat check --help
amdcompat convert --help
amdcompat roundtrip --help
amdcompat verify --help
amdcompat devices --help
amdcompat devices
