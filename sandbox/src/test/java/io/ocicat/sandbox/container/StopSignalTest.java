package io.ocicat.sandbox.container;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StopSignalTest {
  @ParameterizedTest
  @CsvSource({
    "SIGTERM, 15",
    "kill, 9",
    "USR1, 10",
    "SIGCLD, 17",
    "3, 3",
    "SIGRTMIN, 34",
    "SIGRTMIN+3, 37",
    "RTMAX-14, 50",
    "SIGRTMAX, 64",
    "SIGSYS, 31",
    "SIGPOLL, 29"
  })
  void signalsHaveNamesAndNumbers(String text, int number) {
    assertThat(StopSignal.parse(text)).hasValue(number);
  }

  @Test
  void othersAreNotSignals() {
    for (String text : new String[] {"", "SIG", "0", "65", "RTMIN+31", "FLY", "-1"}) {
      assertThat(StopSignal.parse(text)).as(text).isEmpty();
    }
  }
}
