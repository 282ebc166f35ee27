lift --form wave FILE
