amdcompat convert $STRICT --layout in-place --to elf -o out.hsaco il-only.clo
