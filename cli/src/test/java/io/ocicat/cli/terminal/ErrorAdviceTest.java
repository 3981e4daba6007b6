package io.ocicat.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Review U17: one wording for what needs root, whatever detected it. */
class ErrorAdviceTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cannot list /a: java.nio.file.AccessDeniedException: /a | cannot list /a: permission denied; this needs root: run it with sudo",
        "cannot read /a: java.nio.file.NoSuchFileException: /a | cannot read /a: there is no such file",
        "open /a: Permission denied (EACCES) | open /a: Permission denied (EACCES); this needs root: run it with sudo",
        "open /root/a: permission denied | open /root/a: permission denied; this needs root: run it with sudo",
        "cannot make /a: x; this needs root: run it with sudo | cannot make /a: x; this needs root: run it with sudo",
        "cannot create the directory /a: java.nio.file.FileAlreadyExistsException: /a | cannot create the directory /a: it is not a directory",
        "create bridge \"b\": Operation not supported (EOPNOTSUPP): Unknown device type | create bridge \"b\": Operation not supported (EOPNOTSUPP): Unknown device type; this kernel lacks it: \"ocicat doctor\" says what to load",
        "cannot listen on 127.0.0.1:1: Address already in use | cannot listen on 127.0.0.1:1: Address already in use; another process has the port (ss -ltnp shows which): end it, or choose another",
        "cannot write /a: java.io.IOException: No space left on device | cannot write /a: No space left on device; make room there",
        "datastore /a failed (SQLITE_IOERR): x | datastore /a failed (SQLITE_IOERR): x; if its disk is full (df -h), make room there",
        "no free address in pool \"blue\" | no free address in pool \"blue\""
      })
  void adviceIsAddedWhereTheMessageHasNone(String message, String wanted) {
    assertThat(ErrorAdvice.of(message, false)).isEqualTo(wanted);
  }

  @Test
  void rootIsNotAdvisedToBecomeRoot() {
    assertThat(ErrorAdvice.of("open /a: Permission denied (EACCES)", true))
        .isEqualTo("open /a: Permission denied (EACCES)");
  }
}
