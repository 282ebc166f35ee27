# The size is looked at before anything is read.
truncate -s 2G $OUT; cd ${OUT%/*}; amdcompat inspect ${OUT##*/}
