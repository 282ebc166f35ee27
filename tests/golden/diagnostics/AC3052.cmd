pack FILE --launch launch-bases.json -o $OUT
