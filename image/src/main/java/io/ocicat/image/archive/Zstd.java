package io.ocicat.image.archive;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/**
 * The decompressor of the machine's own libzstd, through the FFM API. Its interface has been stable
 * since version 1.0, every Debian has it because dpkg needs it, and the distribution repairs it.
 */
final class Zstd {
  private static final String LIBRARY = "libzstd.so.1";
  private static final int LONGEST_ERROR = 256;

  private final MethodHandle create;
  private final MethodHandle free;
  private final MethodHandle decompress;
  private final MethodHandle isError;
  private final MethodHandle errorName;

  private Zstd(SymbolLookup library) {
    Linker linker = Linker.nativeLinker();
    create = handle(linker, library, "ZSTD_createDStream", FunctionDescriptor.of(ADDRESS));
    free = handle(linker, library, "ZSTD_freeDStream", FunctionDescriptor.of(JAVA_LONG, ADDRESS));
    decompress =
        handle(
            linker,
            library,
            "ZSTD_decompressStream",
            FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS, ADDRESS));
    isError = handle(linker, library, "ZSTD_isError", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    errorName =
        handle(
            linker,
            library,
            "ZSTD_getErrorName",
            FunctionDescriptor.of(
                ADDRESS.withTargetLayout(MemoryLayout.sequenceLayout(LONGEST_ERROR, JAVA_BYTE)),
                JAVA_LONG));
  }

  private static MethodHandle handle(
      Linker linker, SymbolLookup library, String name, FunctionDescriptor type) {
    return linker.downcallHandle(library.findOrThrow(name), type);
  }

  /** Loaded when the first layer needs it. */
  private static final class Loaded {
    static final Zstd ZSTD = new Zstd(SymbolLookup.libraryLookup(LIBRARY, Arena.global()));

    private Loaded() {}
  }

  static Zstd load() throws ArchiveException {
    try {
      return Loaded.ZSTD;
    } catch (ExceptionInInitializerError | NoClassDefFoundError e) {
      throw new ArchiveException(
          "it is compressed with zstd, and %s is missing: install libzstd1".formatted(LIBRARY), e);
    }
  }

  MemorySegment create() {
    try {
      return (MemorySegment) create.invokeExact();
    } catch (Throwable t) {
      throw new AssertionError("libzstd never throws", t);
    }
  }

  void free(MemorySegment stream) {
    try {
      long _ = (long) free.invokeExact(stream);
    } catch (Throwable t) {
      throw new AssertionError("libzstd never throws", t);
    }
  }

  /** Returns 0 at the end of a frame, else a hint. */
  long decompress(MemorySegment stream, MemorySegment output, MemorySegment input)
      throws ArchiveException {
    try {
      long result = (long) decompress.invokeExact(stream, output, input);
      if ((int) isError.invokeExact(result) != 0) {
        MemorySegment name = (MemorySegment) errorName.invokeExact(result);
        throw new ArchiveException("damaged zstd: " + name.getString(0));
      }
      return result;
    } catch (ArchiveException e) {
      throw e;
    } catch (Throwable t) {
      throw new AssertionError("libzstd never throws", t);
    }
  }
}
