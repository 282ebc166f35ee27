pack FILE --launch launch-printf.json -o $OUT
