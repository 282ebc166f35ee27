amdcompat convert $STRICT --to elf --prove --proof-instructions 10 -o out.hsaco pitcairn-scale-64.clo
