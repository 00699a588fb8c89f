# One R peer in its own process; it understands the same lines as worker.py.
#
# usage: Rscript worker.R PEER TABLE R ZEROS [--remove-row-mean]
#        Rscript worker.R --installed        the names of the peers whose packages are installed

seconds_now <- function() proc.time()[["elapsed"]]

memory <- function(field) {
  line <- grep(paste0("^", field), readLines("/proc/self/status"), value = TRUE)
  as.numeric(strsplit(trimws(line), "[ \t]+")[[1]][2]) * 1024
}

reset_memory_peak <- function() {
  try(cat("5\n", file = "/proc/self/clear_refs"), silent = TRUE)
}

# NumPy's format, for the types that the rows use.
read_npy <- function(path) {
  file <- file(path, "rb")
  on.exit(close(file))
  invisible(readBin(file, "raw", 8))
  header <- readChar(file, readBin(file, "integer", 1, size = 2, endian = "little"))
  type <- sub(".*'descr': '[<|]([a-z][0-9]).*", "\\1", header)
  shape <- gsub("[^0-9,]", "", sub(".*'shape': \\(([^)]*)\\).*", "\\1", header))
  shape <- as.numeric(strsplit(shape, ",")[[1]])
  size <- as.integer(substr(type, 2, 2))
  what <- if (substr(type, 1, 1) == "f") "numeric" else "integer"
  count <- prod(shape)
  if (type == "i8") {  # R has no such type: small numbers fit in the lower half
    numbers <- readBin(file, "integer", 2 * count, endian = "little")[c(TRUE, FALSE)]
  } else {
    signed <- substr(type, 1, 1) != "u" || size > 2
    numbers <- readBin(file, what, count, size = size, signed = signed, endian = "little")
  }
  if (length(shape) < 2) return(numbers)
  matrix(as.numeric(numbers), shape[1], shape[2], byrow = !grepl("'fortran_order': True", header))
}

write_npy <- function(path, table) {
  file <- file(path, "wb")
  on.exit(close(file))
  header <- sprintf("{'descr': '<f8', 'fortran_order': True, 'shape': (%d, %d), }",
                    nrow(table), ncol(table))
  header <- paste0(formatC(header, width = -117), "\n")
  writeBin(as.raw(c(0x93, utf8ToInt("NUMPY"), 1, 0)), file)
  writeBin(nchar(header), file, size = 2, endian = "little")
  writeChar(header, file, eos = NULL)
  writeBin(as.numeric(table), file, endian = "little")
}

# SciPy's CSR.
read_npz <- function(path) {
  folder <- tempfile()
  on.exit(unlink(folder, recursive = TRUE))
  utils::unzip(path, exdir = folder)
  part <- function(name) read_npy(file.path(folder, paste0(name, ".npy")))
  Matrix::sparseMatrix(j = part("indices") + 1, p = part("indptr"), x = part("data"),
                       dims = part("shape"))
}

read_table <- function(path, remove_row_mean) {
  if (grepl("\\.npz$", path)) return(read_npz(path))
  table <- read_npy(path)
  if (remove_row_mean) table - rowMeans(table) else table
}

# Each: fit(table, r, zeros) is p x r. Sparse methods are set to about `zeros` in every loading.
peers <- list(
  "R irlba" = list(package = "irlba", fit = function(table, r, zeros)
    irlba::irlba(table, nv = r, nu = 0, center = Matrix::colMeans(table))$v),
  "R RSpectra" = list(package = "RSpectra", fit = function(table, r, zeros)
    RSpectra::svds(table, r, nu = 0, opts = list(center = TRUE))$v),
  "R elasticnet" = list(package = "elasticnet", fit = function(table, r, zeros) {
    table <- scale(table, scale = FALSE)
    kept <- round((1 - zeros) * ncol(table))
    if (ncol(table) > nrow(table)) {
      elasticnet::arrayspc(table, r, rep(0.1, r))$loadings
    } else {
      elasticnet::spca(table, r, rep(kept, r), sparse = "varnum")$loadings
    }
  }),
  "R PMA" = list(package = "PMA", fit = function(table, r, zeros)
    PMA::SPC(table, sumabsv = 0.7 * sqrt((1 - zeros) * ncol(table)), K = r, trace = FALSE,
             compute.pve = FALSE)$v),
  "R nsprcomp" = list(package = "nsprcomp", fit = function(table, r, zeros)
    nsprcomp::nsprcomp(table, retx = FALSE, ncomp = r, k = round((1 - zeros) * ncol(table)),
                       nrestart = 1)$rotation),
  "R sparsepca" = list(package = "sparsepca", fit = function(table, r, zeros)
    sparsepca::spca(table, k = r, center = TRUE, scale = FALSE, verbose = FALSE)$loadings)
)

run <- function(fit, seconds) {
  best <- Inf
  runs <- 0
  start <- seconds_now()
  while (runs == 0 || seconds_now() - start < seconds) {
    # R's clock has a resolution of milliseconds: short fits are timed together.
    again <- 1
    repeat {
      began <- seconds_now()
      for (i in seq_len(again)) vectors <- fit()
      took <- seconds_now() - began
      if (took > 0.05) break
      again <- 4 * again
    }
    best <- min(best, took / again)
    runs <- runs + again
  }
  cat(sprintf('{"seconds": %.6f, "runs": %d, "peak_bytes": %.0f}\n', best, runs, memory("VmHWM")))
  vectors
}

main <- function(words) {
  if (words[1] == "--installed") {
    there <- sapply(peers, function(peer) requireNamespace(peer$package, quietly = TRUE))
    cat(names(peers)[there], sep = "\n")
    return(invisible())
  }
  peer <- peers[[words[1]]]
  loadNamespace(peer$package)
  idle <- memory("VmRSS")
  table <- read_table(words[2], "--remove-row-mean" %in% words)
  r <- as.integer(words[3])
  zeros <- as.numeric(words[4])
  invisible(gc())
  reading_peak <- memory("VmHWM")
  reset_memory_peak()
  cat(sprintf('{"idle_bytes": %.0f, "reading_peak_bytes": %.0f}\n', idle, reading_peak))
  fit <- function() peer$fit(table, r, zeros)
  vectors <- NULL
  input <- file("stdin", "r")
  while (length(line <- readLines(input, n = 1)) > 0) {
    word <- sub(" .*", "", line)
    value <- sub("^[^ ]* ", "", line)
    if (word == "run") {
      vectors <- run(fit, as.numeric(value))
    } else {
      if (is.null(vectors)) vectors <- fit()
      write_npy(file.path(value, "vectors.npy"), as.matrix(vectors))
      cat('{"vectors": "vectors.npy"}\n')
    }
  }
}

set.seed(1)
main(commandArgs(trailingOnly = TRUE))
