pack FILE --launch launch-nothing.json -o $OUT
