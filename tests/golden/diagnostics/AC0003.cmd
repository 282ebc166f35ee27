extract -o $OUT FILE
