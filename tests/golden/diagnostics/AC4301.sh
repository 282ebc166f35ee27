amdcompat convert $STRICT --to elf --target gfx803 -o out.hsaco pitcairn-scale.clo
