amdcompat check $STRICT -v cypress-1800.clo
