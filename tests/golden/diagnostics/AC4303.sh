amdcompat convert $STRICT --to elf -o out.hsaco pitcairn-1702.clo
