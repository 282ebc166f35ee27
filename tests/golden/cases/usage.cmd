amdcompat
amdcompat --version
amdcompat convert --to spirv printf.amdil
amdcompat convert --strict --lenient printf.amdil
amdcompat convert --struct-align x=3 printf.amdil
amdcompat convert --to text --metadata-version 3:1 printf.amdil
amdcompat convert --to msgpack printf.amdil units.amdil
amdcompat convert -o a --out-dir b printf.amdil
amdcompat roundtrip no-such-file.amdil
amdcompat check no-such-file.amdil printf.amdil
