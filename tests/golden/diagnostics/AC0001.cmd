check no-such-file.amdil
