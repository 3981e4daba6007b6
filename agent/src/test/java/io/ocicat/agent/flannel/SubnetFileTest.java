package io.ocicat.agent.flannel;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.ip.IpPrefix;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SubnetFileTest {
  private static final LeaseSubnets SUBNETS =
      new LeaseSubnets(IpPrefix.parse("10.50.7.0/24"), IpPrefix.parse("fd00:50:0:7::/64"));

  @TempDir Path folder;

  private static NetConf conf(String families) {
    return NetConf.read(
        "a test",
        "{%s'Network':'10.50.0.0/16','IPv6Network':'fd00:50::/48','Backend':{'Type':'vxlan'}}"
            .formatted(families)
            .replace('\'', '"'));
  }

  @Test
  void theContentIsThatOfFlanneld() {
    assertThat(SubnetFile.content(conf(""), SUBNETS, 1450, true))
        .isEqualTo(
            """
            FLANNEL_NETWORK=10.50.0.0/16
            FLANNEL_SUBNET=10.50.7.1/24
            FLANNEL_MTU=1450
            FLANNEL_IPMASQ=true
            """);
    assertThat(SubnetFile.content(conf("'EnableIPv6':true,"), SUBNETS, 1450, false))
        .isEqualTo(
            """
            FLANNEL_NETWORK=10.50.0.0/16
            FLANNEL_SUBNET=10.50.7.1/24
            FLANNEL_IPV6_NETWORK=fd00:50::/48
            FLANNEL_IPV6_SUBNET=fd00:50:0:7::1/64
            FLANNEL_MTU=1450
            FLANNEL_IPMASQ=false
            """);
    assertThat(
            SubnetFile.content(conf("'EnableIPv4':false,'EnableIPv6':true,"), SUBNETS, 1450, false))
        .startsWith("FLANNEL_IPV6_NETWORK=");
  }

  @Test
  void everybodyMayReadTheFileAndItIsReadBack() throws Exception {
    SubnetFile file = new SubnetFile(folder.resolve("flannel/subnet.env"));
    assertThat(file.previous()).isEmpty();
    String content = SubnetFile.content(conf("'EnableIPv6':true,"), SUBNETS, 1450, true);
    file.write(content);

    assertThat(file.path()).hasContent(content);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.path())))
        .isEqualTo("rw-r--r--");
    assertThat(
            PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("flannel"))))
        .isEqualTo("rwxr-xr-x");
    assertThat(file.previous()).contains(SUBNETS);
    Object written = Files.getAttribute(file.path(), "unix:ino");
    file.write(content);
    assertThat(Files.getAttribute(file.path(), "unix:ino")).as("not written").isEqualTo(written);
  }

  @Test
  void badLinesOfAnEarlierFileCountAsNone() throws Exception {
    SubnetFile file = new SubnetFile(folder.resolve("subnet.env"));
    Files.writeString(
        file.path(),
        """
        FLANNEL_SUBNET=10.50.7.1/24,10.50.8.1/24
        FLANNEL_IPV6_SUBNET=fd00:50:0:7::1/64
        rubbish
        """);
    assertThat(file.previous())
        .contains(new LeaseSubnets(null, IpPrefix.parse("fd00:50:0:7::/64")));
    Files.write(file.path(), new byte[] {0, (byte) 0xff, 10});
    assertThat(file.previous()).isEmpty();
  }
}
