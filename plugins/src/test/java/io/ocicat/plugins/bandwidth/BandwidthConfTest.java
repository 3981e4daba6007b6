package io.ocicat.plugins.bandwidth;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.netlink.tc.Rate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BandwidthConfTest {

  @Test
  void limitsAreGivenInBits() {
    BandwidthConf conf =
        read("'ingressRate':8000,'ingressBurst':16000,'egressRate':17,'egressBurst':25");

    assertThat(conf.ingress()).contains(new DirectionLimit(Rate.ofBytes(1000), 2000));
    assertThat(conf.egress()).contains(new DirectionLimit(Rate.ofBytes(2), 3));
  }

  @Test
  void theRuntimeSuppliesWhatTheConfigurationLeavesOut() {
    BandwidthConf conf =
        read("'runtimeConfig':{'bandwidth':{'ingressRate':8000,'ingressBurst':16000}}");

    assertThat(conf.ingress()).contains(new DirectionLimit(Rate.ofBytes(1000), 2000));
    assertThat(conf.egress()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"ingressRate", "ingressBurst", "egressRate", "egressBurst"})
  void anyNumberOfItsOwnEvenZeroSilencesTheRuntime(String key) {
    BandwidthConf conf =
        read(
            "'%s':0,'runtimeConfig':{'bandwidth':{'ingressRate':8000,'ingressBurst':16000}}"
                .formatted(key));

    assertThat(conf.isUnlimited()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      value = {
        "``",
        "'ingressRate':0,'ingressBurst':0,'egressRate':0,'egressBurst':0",
        "'runtimeConfig':{}",
        "'runtimeConfig':null",
        "'runtimeConfig':{'bandwidth':null}",
        "'unshapedSubnets':['10.0.0.0/8']",
      })
  void nothingIsNoLimit(String fields) {
    assertThat(read(fields).isUnlimited()).isTrue();
  }

  @Test
  void thelargestNumbersAreTaken() {
    BandwidthConf conf = read("'egressRate':18446744073709551615,'egressBurst':34359738359");

    assertThat(conf.egress())
        .contains(new DirectionLimit(Rate.ofBytes(2305843009213693951L), 4_294_967_294L));
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      value = {
        "'ingressRate':8000|ingressBurst is missing: if rate is set, burst must also be set",
        "'egressBurst':8000|egressRate is missing: if burst is set, rate must also be set",
        "'egressRate':7,'egressBurst':800|egressRate must be at least 8 bits per second",
        "'ingressRate':8,'ingressBurst':34359738360|burst cannot be more than 4GB",
        "'ingressRate':-1,'ingressBurst':8|ingressRate must be a whole number 0–1844674407370955",
        "'egressRate':1.5,'egressBurst':8|egressRate must be a whole number",
        "'egressRate':8,'egressBurst':'1M'|egressBurst must be a whole number",
        "'egressRate':8,'egressBurst':18446744073709551616|egressBurst must be a whole number",
        "'runtimeConfig':{'bandwidth':[]}|runtimeConfig.bandwidth must be an object, not a list",
        "'runtimeConfig':7|runtimeConfig must be an object, not 7",
        "'runtimeConfig':{'bandwidth':{'egressRate':9}}|runtimeConfig.bandwidth.egressBurst is miss",
      })
  void whatIsWrongIsNamed(String fields, String message) {
    assertThatThrownBy(() -> read(fields))
        .hasMessageContaining(message)
        .isInstanceOfSatisfying(
            CniException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG));
  }

  @Test
  void bothDirectionsAreReportedAtOnce() {
    assertThatThrownBy(() -> read("'ingressRate':8,'egressBurst':true"))
        .hasMessageContaining("2 problems")
        .hasMessageContaining("ingressBurst is missing")
        .hasMessageContaining("egressBurst must be a whole number");
  }

  private static BandwidthConf read(String fields) {
    String json =
        "{'cniVersion':'1.0.0','name':'n','type':'bandwidth'%s}"
            .formatted(fields.isEmpty() ? "" : "," + fields)
            .replace('\'', '"');
    return BandwidthConf.read(PluginConfig.ofRequest(json.getBytes(UTF_8)));
  }
}
