package io.ocicat.daemon.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class CauseTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "11  | no IP addresses available in range set: 10.0.0.1-10.0.0.2; all are leased |POOL_EMPTY",
        "7   | failed to find plugin \"dhcp\" in path [/opt/cni/bin]                     |PLUGIN_MISSING",
        "7   | ipam.ranges[0][1].subnet \"10.1.0.0/33\" is not a CIDR                    |CONFIG",
        "1   | incompatible CNI versions                                               |CONFIG",
        "8   | failed to open netns \"/run/netns/x\": No such file (ENOENT)              |NETNS_GONE",
        "999 | container veth name (\"eth0\") already exists                             |ALREADY_ATTACHED",
        "999 | \"cni0\" already exists but is not a bridge                               |NAME_CONFLICT",
        "999 | create bridge \"cni0\": File exists (EEXIST)                              |NAME_CONFLICT",
        "999 | create vxlan \"f\": Operation not supported (EOPNOTSUPP)                  |KERNEL",
        "5   | cannot record the call: no space left                     |FILES",
        "50  | the datastore is away                                                   |NOT_READY",
        "999 | it broke                                                                |OTHER",
      })
  void codeAndWordsNameTheCause(int code, String message, Cause cause) {
    assertThat(Cause.of(new CniException(new ErrorCode(code), message))).isEqualTo(cause);
  }

  /** Whatever the message is: our own messages may change. */
  @ParameterizedTest
  @EnumSource(FailureReason.class)
  void theReasonThatIsGivenComesFirst(FailureReason reason) {
    assertThat(Cause.of(failure(999, "no IP addresses available", reason)))
        .isEqualTo(Cause.of(failure(7, "", reason)))
        .isNotIn(Cause.NONE, Cause.OTHER, Cause.CONFIG);
  }

  @ParameterizedTest
  @EnumSource(Cause.class)
  void everyOneSaysWhatToDoAndIsFoundByItsLabel(Cause cause) {
    assertThat(cause.advice()).isNotBlank();
    assertThat(cause.label()).matches("[a-z-]+");
    assertThat(Cause.labelled(cause.label())).isEqualTo(cause);
  }

  @Test
  void whatANewerDaemonCallsItIsSomethingElse() {
    assertThat(Cause.labelled("phase-of-the-moon")).isEqualTo(Cause.OTHER);
  }

  private static CniException failure(int code, String message, FailureReason reason) {
    return new CniException(new ErrorCode(code), message).because(reason);
  }
}
