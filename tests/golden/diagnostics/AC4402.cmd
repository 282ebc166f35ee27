lift FILE
