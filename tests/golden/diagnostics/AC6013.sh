mkdir old
amdcompat migrate $STRICT --out old old
