amdcompat convert -q --to elf -o new.hsaco cl2-tonga-code.clo
amdcompat verify $STRICT -v cl2-tonga-code.clo new.hsaco
