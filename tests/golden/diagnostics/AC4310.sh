amdcompat convert $STRICT -v --to elf --prove -o out.hsaco pitcairn-scale-64.clo
