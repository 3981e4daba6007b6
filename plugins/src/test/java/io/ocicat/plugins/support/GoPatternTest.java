package io.ocicat.plugins.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.regex.PatternSyntaxException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GoPatternTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "net.ipv4 ~ a.net_ipv4.b",
        "^net\\.ipv4\\.conf\\.IFNAME\\.[a-z_]*$ ~ net.ipv4.conf.IFNAME.rp_filter",
        "^[[:alpha:]]+$ ~ net",
        "^[^[:digit:].]+$ ~ net",
        "^[[:^digit:]]$ ~ x",
        "^[x[:word:]]{2}$ ~ x_",
        "^[]x]+$ ~ x]",
        "^[^]]$ ~ x",
        "^[[x]+$ ~ [x",
        "^[a&&b]+$ ~ &a",
        "^(?P<a_name>net)$ ~ net",
        "\\Q[net]\\E ~ [net]",
        "\\Q[net] ~ [net]",
        "(?i)NET ~ net",
        "^[\\]\\d]+$ ~ ]7",
      })
  void itFindsWhatGoFinds(String pattern, String text) {
    assertThat(GoPattern.compile(pattern).matcher(text).find()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "^net\\.ipv4$ ~ net_ipv4",
        "^[[:alpha:]]+$ ~ n:t",
        "^[[:alpha:]]+$ ~ 7",
        "^[a&&b]$ ~ c",
        "^[[x]$ ~ ]",
        "^[[:^digit:]]$ ~ 7",
      })
  void itDoesNotFindWhatGoDoesNot(String pattern, String text) {
    assertThat(GoPattern.compile(pattern).matcher(text).find()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"[", "[a", "(", "*", "[[:none:]]", "[[:alpha]", "\\1", "(?P<a", "a{2,1}", "\\"})
  void whatIsNoPatternIsRefused(String pattern) {
    assertThatThrownBy(() -> GoPattern.compile(pattern)).isInstanceOf(PatternSyntaxException.class);
  }
}
