package io.ocicat.plugins.firewall;

import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.json.JsonFields;
import io.ocicat.plugins.iptables.NftTable;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What the configuration says.
 *
 * @param backend as written; only iptables is known here
 * @param adminChain where the host's administrator puts rules that come before those of containers
 */
record FirewallConf(String backend, String adminChain, IngressPolicy ingressPolicy) {
  static final String IPTABLES = "iptables";

  /** As long as iptables lets the name of a chain be, and nothing that it reads otherwise. */
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

  /** Whether the configuration asks for a back end that nobody has; the Go plugin lets it pass. */
  boolean isBackendUnknown() {
    return !backend.isEmpty() && !backend.equals(IPTABLES);
  }
}
