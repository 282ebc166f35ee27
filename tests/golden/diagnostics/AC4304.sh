amdcompat convert $STRICT --to elf -o out.hsaco bonaire-1912-64.clo
