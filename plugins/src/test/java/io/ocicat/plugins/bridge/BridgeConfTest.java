package io.ocicat.plugins.bridge;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ocicat.cni.CniException;
import io.ocicat.cni.Dns;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a configuration may say. */
class BridgeConfTest {

  @Test
  void everythingHasADefault() {
    BridgeConf conf = read("{}");

    assertThat(conf.bridge()).isEqualTo("cni0");
    assertThat(conf.mtu()).isZero();
    assertThat(conf.vlans()).isEqualTo(new PortVlans(0, null, false));
    assertThat(
            List.of(
                conf.gateway(),
                conf.defaultGateway(),
                conf.forceAddress(),
                conf.masquerade(),
                conf.hairpin(),
                conf.promiscuous(),
                conf.spoofCheck(),
                conf.detectDuplicates(),
                conf.isolated(),
                conf.leaveDown(),
                conf.addressed()))
        .containsOnly(false);
    assertThat(conf.mac()).isNull();
    assertThat(conf.dns()).isNull();
    assertThat(read("{\"bridge\":\"\",\"mtu\":null,\"vlan\":null,\"ipam\":{}}")).isEqualTo(conf);
  }

  @Test
  void whoIsTheDefaultGatewayIsAGateway() {
    assertThat(read("{\"isDefaultGateway\":true}").gateway()).isTrue();
    assertThat(read("{\"isDefaultGateway\":true,\"isGateway\":false}").gateway()).isTrue();
  }

  @Test
  void namesMatchInAnyCaseAsInGo() {
    assertThat(read("{\"ISGATEWAY\":true,\"HairPinMode\":true}").gateway()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"bridge\":5} | bridge must be a string, not 5",
        "{\"bridge\":\"a/b\"} | bridge cannot name a bridge: 1 to 15 bytes without / : % and blanks",
        "{\"bridge\":\"a b\"} | bridge cannot name a bridge",
        "{\"bridge\":\"br%d\"} | bridge cannot name a bridge",
        "{\"bridge\":\"..\"} | bridge cannot name a bridge",
        "{\"bridge\":\"a23456789012345X\"} | bridge cannot name a bridge",
        "{\"isGateway\":\"yes\"} | isGateway must be true or false, not \"yes\"",
        "{\"isDefaultGateway\":1} | isDefaultGateway must be true or false, not 1",
        "{\"forceAddress\":[]} | forceAddress must be true or false, not a list",
        "{\"ipMasq\":{}} | ipMasq must be true or false, not an object",
        "{\"ipMasqBackend\":\"ebtables\"} | ipMasqBackend must be one of \"iptables\", \"nftables\", not \"ebtables\"",
        "{\"ipMasqBackend\":true} | ipMasqBackend must be a string, not true",
        "{\"mtu\":\"1500\"} | mtu must be a whole number 0–65535, not \"1500\"",
        "{\"mtu\":-1} | mtu must be a whole number 0–65535, not -1",
        "{\"mtu\":65536} | mtu must be a whole number 0–65535, not 65536",
        "{\"mtu\":1500.5} | mtu must be a whole number 0–65535, not 1500.5",
        "{\"mtu\":67} | mtu must be 0 for the kernel's choice or at least 68",
        "{\"hairpinMode\":\"\"} | hairpinMode must be true or false, not \"\"",
        "{\"promiscMode\":0} | promiscMode must be true or false, not 0",
        "{\"vlan\":\"100\"} | vlan must be a whole number",
        "{\"vlan\":-100} | vlan holds an invalid VLAN ID -100 (must be between 0 and 4094)",
        "{\"vlan\":5000} | vlan holds an invalid VLAN ID 5000 (must be between 0 and 4094)",
        "{\"vlanTrunk\":{}} | vlanTrunk must be a list, not an object",
        "{\"vlanTrunk\":[7]} | vlanTrunk[0] must be an object, not 7",
        "{\"preserveDefaultVlan\":2} | preserveDefaultVlan must be true or false, not 2",
        "{\"macspoofchk\":\"on\"} | macspoofchk must be true or false, not \"on\"",
        "{\"enabledad\":\"on\"} | enabledad must be true or false, not \"on\"",
        "{\"portIsolation\":\"on\"} | portIsolation must be true or false, not \"on\"",
        "{\"disableContainerInterface\":3} | disableContainerInterface must be true or false, not 3",
        "{\"args\":{\"cni\":{\"mac\":7}}} | args.cni.mac must be a string, not 7",
        "{\"args\":{\"cni\":{\"mac\":\"7\"}}} | args.cni.mac \"7\" is not a MAC address",
        "{\"args\":{\"cni\":7}} | args.cni must be an object, not 7",
        "{\"runtimeConfig\":{\"mac\":\"c2:11:22:33:44:5\"}} | runtimeConfig.mac \"c2:11:22:33:44:5\" is not a MAC",
        "{\"runtimeConfig\":{\"mac\":\"01:00:5e:00:00:01\"}} | runtimeConfig.mac must be the address of one interface",
        "{\"runtimeConfig\":{\"mac\":\"00:00:00:00:00:00\"}} | runtimeConfig.mac must be the address of one interface",
        "{\"hairpinMode\":true,\"promiscMode\":true} | hairpinMode and promiscMode cannot be combined",
        "{\"disableContainerInterface\":true,\"ipam\":{\"type\":\"static\"}} | disableContainerInterface and ipam cannot be combined",
        "{\"bridge\":\"a-long-bridge\",\"vlan\":100,\"isGateway\":true} | bridge is too long a name: with isGateway and vlan there is an interface \"a-long-bridge.100\"",
      })
  void whatIsWrongIsNamed(String config, String problem) {
    CniException error = refused(config);

    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
    assertThat(error.msg()).startsWith(problem);
  }

  @Test
  void allThatIsWrongIsNamedAtOnce() {
    CniException error = refused("{\"mtu\":-1,\"vlan\":4095,\"hairpinMode\":1}");

    assertThat(error.msg()).isEqualTo("invalid configuration: 3 problems");
    assertThat(error.details()).contains("mtu", "vlan", "hairpinMode");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[] | []",
        "[{}] | []",
        "[{\"minID\":15,\"maxID\":17}] | [15, 16, 17]",
        "[{\"id\":15}] | [15]",
        "[{\"minID\":15,\"maxID\":17,\"id\":5}] | [5, 15, 16, 17]",
        "[{\"id\":16},{\"minID\":15,\"maxID\":17},{\"id\":16}] | [15, 16, 17]",
        "[{\"id\":4094},{\"id\":1}] | [1, 4094]",
      })
  void trunksAreIdsAndRanges(String trunk, String ids) {
    assertThat(String.valueOf(read("{\"vlanTrunk\":%s}".formatted(trunk)).vlans().trunk()))
        .isEqualTo(ids);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"minID\":15} | vlanTrunk[0].maxID is missing: minID and maxID should be configured simultaneously, maxID is missing",
        "{\"maxID\":15} | vlanTrunk[0].minID is missing: minID and maxID should be configured simultaneously, minID is missing",
        "{\"minID\":-1,\"maxID\":15} | vlanTrunk[0].minID holds an incorrect trunk minID parameter: -1",
        "{\"minID\":0,\"maxID\":15} | vlanTrunk[0].minID holds an incorrect trunk minID parameter: 0",
        "{\"minID\":5000,\"maxID\":4094} | vlanTrunk[0].minID holds an incorrect trunk minID parameter: 5000",
        "{\"minID\":15,\"maxID\":4095} | vlanTrunk[0].maxID holds an incorrect trunk maxID parameter: 4095",
        "{\"minID\":15,\"maxID\":-1} | vlanTrunk[0].maxID holds an incorrect trunk maxID parameter: -1",
        "{\"minID\":15,\"maxID\":14} | vlanTrunk[0].minID is wrong: minID is greater than maxID (15-14)",
        "{\"id\":-1} | vlanTrunk[0].id holds an incorrect trunk id parameter: -1",
        "{\"id\":4095} | vlanTrunk[0].id holds an incorrect trunk id parameter: 4095",
        "{\"id\":\"7\"} | vlanTrunk[0].id must be a whole number",
      })
  void whatIsWrongWithATrunkIsNamed(String entry, String problem) {
    assertThat(refused("{\"vlanTrunk\":[%s]}".formatted(entry)).msg()).startsWith(problem);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"nameservers\":[]}", "{\"search\":[]}", "{\"options\":[]}"})
  void anEmptyListOfDnsSaysThatThereIsNone(String dns) {
    assertThat(read("{\"dns\":%s}".formatted(dns)).dns()).isEqualTo(Dns.NONE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "null", "{\"domain\":\"\"}"})
  void noDnsSaysNothing(String dns) {
    assertThat(read("{\"dns\":%s}".formatted(dns)).dns()).isNull();
  }

  private static BridgeConf read(String config) {
    return BridgeConf.read(PluginConfig.ofRequest(config.getBytes(UTF_8)));
  }

  private static CniException refused(String config) {
    CniException error = catchThrowableOfType(CniException.class, () -> read(config));
    assertThat(error).as(config).isNotNull();
    return error;
  }
}
