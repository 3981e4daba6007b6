package io.ocicat.plugins.hostlocal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ocicat.cni.CniArgs;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostLocalConfTest {

  @Test
  void theOldStyleHasOneRange() {
    HostLocalConf conf =
        ipam(
            "\"subnet\":\"10.1.2.0/24\",\"rangeStart\":\"10.1.2.9\",\"rangeEnd\":\"10.1.2.20\",\"gateway\":\"10.1.2.30\"");

    assertThat(conf.sets()).hasSize(1);
    assertThat(range(conf)).isEqualTo("10.1.2.9-10.1.2.20 via 10.1.2.30");
    assertThat(conf.directory()).hasToString("/var/lib/cni/networks/mynet");
  }

  @Test
  void rangesOfTheRuntimeComeFirstThenTheOldStyleThenTheNew() {
    HostLocalConf conf =
        read(
            "\"runtimeConfig\":{\"ipRanges\":[[{\"subnet\":\"10.3.0.0/24\"}],[{\"subnet\":\"fd03::/64\"}]]},"
                + "\"ipam\":{\"subnet\":\"10.1.0.0/24\",\"dataDir\":\"/run/leases\","
                + "\"ranges\":[[{\"subnet\":\"10.2.0.0/24\"},{\"subnet\":\"10.2.1.0/24\"}]]}");

    assertThat(conf.sets().toString())
        .isEqualTo(
            "[10.3.0.1-10.3.0.254, fd03::1-fd03::ffff:ffff:ffff:ffff, 10.1.0.1-10.1.0.254,"
                + " 10.2.0.1-10.2.0.254,10.2.1.1-10.2.1.254]");
    assertThat(conf.directory()).hasToString("/run/leases/mynet");
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.0/24, 192.0.2.1-192.0.2.254 via 192.0.2.1",
    "192.0.2.0/25, 192.0.2.1-192.0.2.126 via 192.0.2.1",
    "192.0.2.128/25, 192.0.2.129-192.0.2.254 via 192.0.2.129",
    "192.0.2.0/30, 192.0.2.1-192.0.2.2 via 192.0.2.1",
    "2001:db8:1::/64, 2001:db8:1::1-2001:db8:1:0:ffff:ffff:ffff:ffff via 2001:db8:1::1",
    "2001:db8:1::/126, 2001:db8:1::1-2001:db8:1::3 via 2001:db8:1::1",
    "::ffff:10.0.0.0/120, 10.0.0.1-10.0.0.254 via 10.0.0.1",
  })
  void whatIsNotSaidFollowsFromTheSubnet(String subnet, String expected) {
    assertThat(range(ipam("\"subnet\":\"%s\"".formatted(subnet)))).isEqualTo(expected);
  }

  @Test
  void networkAndBroadcastAddressAreLeasedWhenNamed() {
    assertThat(
            range(
                ipam(
                    "\"subnet\":\"10.0.0.0/29\",\"rangeStart\":\"10.0.0.0\",\"rangeEnd\":\"10.0.0.7\"")))
        .isEqualTo("10.0.0.0-10.0.0.7 via 10.0.0.1");
  }

  private static String range(HostLocalConf conf) {
    AddressRange range = conf.sets().getFirst().ranges().getFirst();
    return range + " via " + range.gateway();
  }

  @Test
  void requestedAddressesAccumulateInTheirOrderEachOnce() {
    HostLocalConf conf =
        read("\"args\":{\"cni\":{\"ips\":[\"10.1.2.11\",\"11.11.11.11/24\",\"10.1.2.9/8\"]}},"
                + "\"runtimeConfig\":{\"ips\":[\"fd00::12/64\",\"::ffff:10.1.2.13\",\"10.1.2.11\"]},"
                + "\"ipam\":{\"subnet\":\"10.1.2.0/24\"}")
            .requesting(CniArgs.parse("IgnoreUnknown=1;IP=10.1.2.10/16;K8S_POD_NAME=x"));

    assertThat(conf.requested().toString())
        .isEqualTo("[10.1.2.10, 10.1.2.11, 11.11.11.11, 10.1.2.9, fd00::12, 10.1.2.13]");
  }

  @Test
  void anEmptyRequestIsNone() {
    assertThat(ipam("\"subnet\":\"10.1.2.0/24\"").requesting(CniArgs.parse("IP=")).requested())
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"IP=10.1.2.300", "IP=none", "IP=10.1.2.0/33", "GATEWAY=10.1.2.1"})
  void argsThatAreNotUnderstoodAreRefused(String args) {
    HostLocalConf conf = ipam("\"subnet\":\"10.1.2.0/24\"");

    CniException refusal =
        catchThrowableOfType(CniException.class, () -> conf.requesting(CniArgs.parse(args)));
    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ENVIRONMENT);
    assertThat(refusal.msg()).contains(args);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'subnet':7 | ipam.subnet must be a string, not 7",
        "'subnet':'10.1.0.0/33' | ipam.subnet \"10.1.0.0/33\" is not a CIDR: prefix length must be 0–32",
        "'subnet':'' | ipam.subnet \"\" is not a CIDR",
        "'subnet':'192.0.2.0/31' | ipam.subnet is network 192.0.2.0/31, too small to allocate from",
        "'subnet':'192.0.2.1/32' | too small to allocate from",
        "'subnet':'fd00::/127' | ipam.subnet is network fd00::/127, too small to allocate from: use a prefix of /126 or less",
        "'subnet':'192.0.2.12/24' | has host bits set: for a subnet mask of length 24 the network address is 192.0.2.0",
        "'subnet':'2001:db8:24:19ff::/63' | has host bits set: for a subnet mask of length 63 the network address is 2001:db8:24:19fe::",
        "'ranges':[[{'subnet':'192.0.2.0/24','rangeStart':'192.0.3.0'}]] | ipam.ranges[0][0].rangeStart is RangeStart 192.0.3.0 not in network 192.0.2.0/24",
        "'ranges':[[{'subnet':'192.0.2.0/24','rangeEnd':'192.0.4.0'}]] | ipam.ranges[0][0].rangeEnd is RangeEnd 192.0.4.0 not in network 192.0.2.0/24",
        "'ranges':[[{'subnet':'192.0.2.0/24','rangeStart':'192.0.2.50','rangeEnd':'192.0.2.40'}]] | RangeStart 192.0.2.50 not in network 192.0.2.0/24",
        "'ranges':[[{'subnet':'192.0.2.0/24','rangeStart':'fd00::1'}]] | RangeStart fd00::1 not in network 192.0.2.0/24",
        "'ranges':[[{'subnet':'192.0.2.0/24','rangeStart':'one'}]] | ipam.ranges[0][0].rangeStart \"one\" is not an IP address",
        "'ranges':[[{'subnet':'192.0.2.0/24','rangeEnd':9}]] | ipam.ranges[0][0].rangeEnd must be a string, not 9",
        "'ranges':[[{'subnet':'192.0.2.0/24','gateway':'192.0.2'}]] | ipam.ranges[0][0].gateway \"192.0.2\" is not an IP address",
        "'ranges':[[{'gateway':'192.0.2.1'}]] | ipam.ranges[0][0].subnet is missing",
        "'ranges':[[]] | ipam.ranges[0] is an empty range set",
        "'ranges':[null] | ipam.ranges[0] is an empty range set",
        "'ranges':[{'subnet':'192.0.2.0/24'}] | ipam.ranges[0] must be a list, not an object",
        "'ranges':[['192.0.2.0/24']] | ipam.ranges[0][0] must be an object, not \"192.0.2.0/24\"",
        "'ranges':'192.0.2.0/24' | ipam.ranges must be a list, not \"192.0.2.0/24\"",
        "'ranges':[[{'subnet':'10.1.0.0/22'},{'subnet':'10.1.2.0/24'}]] | ipam.ranges[0] is an invalid range set: subnets 10.1.0.1-10.1.3.254 and 10.1.2.1-10.1.2.254 overlap",
        "'ranges':[[{'subnet':'10.1.0.0/22'},{'subnet':'fd00::/64'}]] | ipam.ranges[0] is an invalid range set: mixed address families",
        "'ranges':[[{'subnet':'10.1.0.0/22'}],[{'subnet':'10.1.2.0/24'}]] | range set 0 overlaps with 1",
        "'subnet':'10.1.2.0/24','ranges':[[{'subnet':'10.2.0.0/24'}],[{'subnet':'10.1.2.0/26'}]] | range set 0 overlaps with 2",
        "'subnet':'10.1.2.0/24','routes':[{'dst':'10.0.0.0'}] | ipam.routes[0].dst \"10.0.0.0\" is not a CIDR",
        "'subnet':'10.1.2.0/24','routes':[{'gw':'10.0.0.1'}] | ipam.routes[0].dst is missing",
        "'subnet':'10.1.2.0/24','routes':{} | ipam.routes must be a list",
        "'subnet':'10.1.2.0/24','dataDir':true | ipam.dataDir must be a string, not true",
        "'subnet':'10.1.2.0/24','dataDir':'a\\u0000b' | ipam.dataDir ",
        "'subnet':'10.1.2.0/24','resolvConf':[] | ipam.resolvConf must be a string, not a list",
      })
  void everyBadFieldIsNamed(String ipam, String problem) {
    assertThat(refusal("\"ipam\":{%s}".formatted(ipam.replace('\'', '"')))).contains(problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'x':1 | IPAM config missing 'ipam' key",
        "'ipam':null | IPAM config missing 'ipam' key",
        "'ipam':{},'runtimeConfig':[] | runtimeConfig must be an object, not a list",
        "'ipam':{},'runtimeConfig':{'ipRanges':[[{'subnet':'1'}]]} | runtimeConfig.ipRanges[0][0].subnet \"1\" is not a CIDR",
        "'ipam':{},'runtimeConfig':{'ips':'10.1.1.1'} | runtimeConfig.ips must be a list",
        "'ipam':{},'runtimeConfig':{'ips':[1]} | runtimeConfig.ips[0] must be a string, not 1",
        "'ipam':{},'runtimeConfig':{'ips':['']} | runtimeConfig.ips[0] \"\" is not an IP address",
        "'ipam':{},'args':7 | args must be an object, not 7",
        "'ipam':{},'args':{'cni':{'ips':['10.1']}} | args.cni.ips[0] \"10.1\" is not an IP address",
        "'ipam':{},'args':{'cni':{'ips':[null]}} | args.cni.ips[0] is missing",
      })
  void badFieldsAroundItAreNamed(String config, String problem) {
    assertThat(refusal(config.replace('\'', '"').replace("\"ipam\" key", "'ipam' key")))
        .contains(problem);
  }

  @Test
  void allBadFieldsAreNamedAtOnce() {
    assertThat(
            refusal(
                "\"ipam\":{\"subnet\":\"x\",\"dataDir\":1,\"ranges\":[[{\"subnet\":\"10.0.0.1/24\"}]],\"routes\":[{}]}"))
        .contains("4 problems", "ipam.subnet", "ipam.dataDir", "ipam.ranges[0][0]", "ipam.routes");
  }

  @Test
  void oldVersionsHaveOneAddressPerFamily() {
    String two = "{\"ranges\":[[{\"subnet\":\"10.1.0.0/24\"}],[{\"subnet\":\"10.2.0.0/24\"}]]}";
    String both = "{\"ranges\":[[{\"subnet\":\"10.1.0.0/24\"}],[{\"subnet\":\"fd00::/64\"}]]}";

    assertThat(
            catchThrowableOfType(CniException.class, () -> read("0.2.0", "\"ipam\":" + two)).msg())
        .contains("CNI version 0.2.0 does not support more than 1 address per family");
    assertThat(read("0.2.0", "\"ipam\":" + both).sets()).hasSize(2);
    assertThat(read("0.3.0", "\"ipam\":" + two).sets()).hasSize(2);
  }

  @Test
  void rangesOfOneSubnetMayLieSideBySide() {
    assertThat(
            ipam("\"ranges\":[[{\"subnet\":\"10.1.0.0/24\",\"rangeEnd\":\"10.1.0.99\"},"
                    + "{\"subnet\":\"10.1.0.0/24\",\"rangeStart\":\"10.1.0.100\"}]]")
                .sets())
        .hasSize(1);
  }

  /** What wraps the other, is the same, starts in it, ends in it. */
  @ParameterizedTest
  @CsvSource({
    "10.0.0.10, 10.0.0.20, true",
    "10.0.0.12, 10.0.0.18, true",
    "10.0.0.5, 10.0.0.25, true",
    "10.0.0.5, 10.0.0.10, true",
    "10.0.0.20, 10.0.0.25, true",
    "10.0.0.5, 10.0.0.9, false",
    "10.0.0.21, 10.0.0.25, false",
  })
  void overlappingIsSharingAnAddress(String start, String end, boolean overlap) {
    String ranges =
        "\"ipam\":{\"ranges\":[[{\"subnet\":\"10.0.0.0/24\",\"rangeStart\":\"10.0.0.10\",\"rangeEnd\":\"10.0.0.20\"}],"
            + "[{\"subnet\":\"10.0.0.0/24\",\"rangeStart\":\"%s\",\"rangeEnd\":\"%s\"}]]}";

    if (overlap) {
      assertThat(refusal(ranges.formatted(start, end))).contains("range set 0 overlaps with 1");
    } else {
      assertThat(read(ranges.formatted(start, end)).sets()).hasSize(2);
    }
  }

  @Test
  void namesAreReadWhateverTheirCase() {
    assertThat(ipam("\"SUBNET\":\"10.1.2.0/24\",\"DataDir\":\"/run/x\"").directory())
        .hasToString("/run/x/mynet");
  }

  private static String refusal(String members) {
    CniException refusal = catchThrowableOfType(CniException.class, () -> read(members));
    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
    return String.valueOf(refusal.getMessage());
  }

  private static HostLocalConf ipam(String members) {
    return read("\"ipam\":{\"type\":\"host-local\"," + members + "}");
  }

  private static HostLocalConf read(String members) {
    return read("1.1.0", members);
  }

  private static HostLocalConf read(String version, String members) {
    return HostLocalConf.read(
        PluginConfig.ofRequest(
            "{\"cniVersion\":\"%s\",\"name\":\"mynet\",\"type\":\"bridge\",%s}"
                .formatted(version, members)
                .getBytes(UTF_8)));
  }
}
