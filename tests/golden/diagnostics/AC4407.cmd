lift --form work-item FILE
