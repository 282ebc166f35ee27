amdcompat convert $STRICT --layout natural --to elf --target gfx1030 --compiler no-such-clang -o out.hsaco pitcairn-scale.clo
