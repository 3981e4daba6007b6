package io.ocicat.plugins.firewall;

import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.PluginConfig;
import io.ocicat.plugins.iptables.NftTable;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The configuration of the firewall plugin.
 *
 * @param backend as written; only iptables is supported
 * @param adminChain the administrator's chain, evaluated before the containers' rules
 */
record FirewallConf(String backend, String adminChain, IngressPolicy ingressPolicy) {
  static final String IPTABLES = "iptables";

  /** The length limit of iptables for chain names, and no character that it would interpret. */
  private static final Pattern CHAIN = Pattern.compile("[A-Za-z_.][A-Za-z0-9/_.-]{0,27}");

  private static final Set<String> OTHER_USE =
      Set.of(
          "INPUT",
          NftTable.FORWARD,
          "OUTPUT",
          "ACCEPT",
          "DROP",
          "RETURN",
          "QUEUE",
          AcceptRules.CHAIN,
          Isolation.STAGE_1,
          Isolation.STAGE_2);

  static FirewallConf read(PluginConfig config) {
    return config.read(FirewallConf::read);
  }

  private static FirewallConf read(JsonFields in) {
    in.text("firewalldZone").optional();
    return new FirewallConf(
        in.text("backend")
            .check(
                backend -> !backend.equals("firewalld"),
                "\"firewalld\" is not supported: use \"iptables\", and let firewalld trust the"
                    + " containers' subnet (firewall-cmd --permanent --zone=trusted"
                    + " --add-source=<subnet>)")
            .or(""),
        in.text("iptablesAdminChainName")
            .check(
                name -> name.isEmpty() || CHAIN.matcher(name).matches(),
                "must be the name of a chain: 1–28 letters, digits and / _ . -, the first no digit, / or"
                    + " -")
            .check(name -> !OTHER_USE.contains(name), "must not be a chain or target of iptables")
            .map(name -> name.isEmpty() ? AcceptRules.ADMIN_CHAIN : name, "")
            .or(AcceptRules.ADMIN_CHAIN),
        in.choice("ingressPolicy", IngressPolicy.values(), IngressPolicy::text)
            .or(IngressPolicy.OPEN));
  }

  /** Whether the configuration asks for an unknown backend; the Go plugin accepts that. */
  boolean isBackendUnknown() {
    return !backend.isEmpty() && !backend.equals(IPTABLES);
  }
}
