package io.ocicat.daemon.trace;

import static org.assertj.core.api.Assertions.assertThat;

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
        "999 | address 10.1.2.3/24 of \"eth0\" is a duplicate                            |ADDRESS_TAKEN",
        "5   | cannot note what is about to be done: no space left                     |FILES",
        "11  | ocicatd was too busy to begin with bridge in time                       |OVERLOADED",
        "11  | another call for c1/eth0 is still under way                             |TIMEOUT",
        "0   | netplugin failed with no error message: not finished after 60 s: killed |TIMEOUT",
        "11  | c1/eth0 was deleted while this ADD waited                               |DELETED_MEANWHILE",
        "11  | whoever asked to add c1/eth0 is gone; undone                            |CALLER_GONE",
        "50  | the datastore is away                                                   |NOT_READY",
        "999 | it broke                                                                |OTHER",
      })
  void codeAndWordsNameTheCause(int code, String message, Cause cause) {
    assertThat(Cause.of(code, message)).isEqualTo(cause);
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
}
