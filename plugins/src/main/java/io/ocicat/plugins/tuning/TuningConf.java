package io.ocicat.plugins.tuning;

import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.Capability;
import io.ocicat.cni.CniArgs;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.plugin.AttachmentCall;
import io.ocicat.ip.MacAddress;
import io.ocicat.plugins.support.AbsolutePath;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The configuration of the tuning plugin.
 *
 * @param link contains promisc only when it is to be on
 * @param dataDir the directory of the backup files
 */
record TuningConf(List<NetSysctl> sysctls, LinkTuning link, Path dataDir) {
  private static final String DATA_DIR = "/run/cni/tuning";
  private static final String MAC = "MAC";

  TuningConf {
    sysctls = List.copyOf(sysctls);
  }

  /**
   * {@code args.cni} overrides the configuration for each member; the MAC address has two more
   * sources.
   */
  static TuningConf read(AttachmentCall call) {
    return read(call.config(), call.args(), call.ifName().value());
  }

  static TuningConf read(PluginConfig config, CniArgs args, String ifName) {
    args.refuseUnknown(Set.of(MAC));
    Optional<MacAddress> asked =
        args.get(MAC).filter(text -> !text.isEmpty()).isPresent()
            ? args.get(MAC, MacAddress::parse)
            : Optional.empty();
    return config.read(
        in -> {
          JsonFields cni = in.object("args").object("cni");
          LinkTuning own = LinkTuning.read(in);
          LinkTuning overriding = LinkTuning.read(cni);
          LinkTuning link =
              new LinkTuning(
                  cni.has("mac")
                      ? overriding.mac()
                      : in.object("runtimeConfig")
                          .mac(Capability.MAC)
                          .optional()
                          .or(() -> asked)
                          .or(own::mac),
                  overriding.promisc().or(own::promisc).filter(on -> on),
                  cni.has("mtu") ? overriding.mtu() : own.mtu(),
                  overriding.allmulti().or(own::allmulti),
                  overriding.txQLen().or(own::txQLen));
          List<NetSysctl> sysctls =
              NetSysctl.read(in.object("sysctl"), cni.object("sysctl"), ifName);
          return new TuningConf(sysctls, link, dataDir(in));
        });
  }

  /** The part that DEL, GC and STATUS need. */
  static Path dataDir(PluginConfig config) {
    return config.read(TuningConf::dataDir);
  }

  private static Path dataDir(JsonFields in) {
    return AbsolutePath.read(in, "dataDir", DATA_DIR);
  }
}
