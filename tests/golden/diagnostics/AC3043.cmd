pack launch-kernel.amdil --launch FILE -o $OUT
