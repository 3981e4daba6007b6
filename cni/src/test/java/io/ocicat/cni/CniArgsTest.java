package io.ocicat.cni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.ip.IpAddress;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CniArgsTest {
  @Test
  void keepsPairsInTheirOrder() {
    String text = "IgnoreUnknown=1;K8S_POD_NAMESPACE=test;K8S_POD_NAME=;A=1;A=2";
    CniArgs args = CniArgs.parse(text);
    assertThat(args).hasToString(text);
    assertThat(args.args()).hasSize(5);
    assertThat(args.get("K8S_POD_NAMESPACE")).contains("test");
    assertThat(args.get("K8S_POD_NAME")).contains("");
    assertThat(args.get("A")).contains("2");
    assertThat(args.get("a")).isEmpty();
  }

  @Test
  void noTextIsNoArguments() {
    assertThat(CniArgs.parse("")).isEqualTo(CniArgs.NONE);
    assertThat(CniArgs.NONE).hasToString("");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"A|A", "A=1;|''", ";A=1|''", "A=1;B=2=3|B=2=3", "A==1|A==1", "A=1;;B=2|''"})
  void refusesWhatIsNoPair(String text, String piece) {
    assertThatThrownBy(() -> CniArgs.parse(text))
        .isInstanceOfSatisfying(
            CniException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ENVIRONMENT))
        .hasMessage("ARGS: invalid pair \"" + piece + "\"");
  }

  @Test
  void convertsValuesAndNamesThePairThatCannotBe() {
    assertThat(CniArgs.parse("IP=10.0.0.1").get("IP", IpAddress::parse))
        .contains(IpAddress.parse("10.0.0.1"));
    assertThat(CniArgs.NONE.get("IP", IpAddress::parse)).isEmpty();
    assertThatThrownBy(() -> CniArgs.parse("IP=10.0.0").get("IP", IpAddress::parse))
        .hasMessage(
            "ARGS: error parsing value of pair \"IP=10.0.0\": \"10.0.0\" is not an IP address:"
                + " expected four numbers, as in 10.0.0.1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "true", "TRUE", "True"})
  void ignoresUnknownKeysWhenAskedToWhereverThatStands(String yes) {
    CniArgs.parse("X=1;IgnoreUnknown=" + yes + ";Y=2").refuseUnknown(Set.of());
  }

  @Test
  void refusesUnknownKeysOtherwise() {
    CniArgs.NONE.refuseUnknown(Set.of());
    CniArgs.parse("IP=1").refuseUnknown(Set.of("IP"));
    assertThatThrownBy(() -> CniArgs.parse("IP=1;X=1;Y=").refuseUnknown(Set.of("IP")))
        .hasMessage("ARGS: unknown args [\"X=1\" \"Y=\"]");
    assertThatThrownBy(() -> CniArgs.parse("X=1;IgnoreUnknown=false").refuseUnknown(Set.of()))
        .hasMessage("ARGS: unknown args [\"X=1\"]");
    assertThatThrownBy(() -> CniArgs.parse("IgnoreUnknown=yes").refuseUnknown(Set.of()))
        .hasMessage(
            "ARGS: error parsing value of pair \"IgnoreUnknown=yes\": \"yes\" is not a boolean:"
                + " expected 1, true, 0 or false");
  }

  @Test
  void cannotHoldWhatCannotBeWritten() {
    assertThatThrownBy(() -> new CniArgs.Arg("K", "a;b"))
        .hasMessage("ARGS: invalid pair \"K=a;b\"; neither key nor value may hold ; or =");
  }
}
