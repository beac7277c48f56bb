module ptxmc

go 1.26
