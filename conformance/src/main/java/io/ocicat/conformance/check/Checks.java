package io.ocicat.conformance.check;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** All checks, in the order in which they run and are reported. */
public final class Checks {
  private Checks() {}

  public static List<ConformanceCheck> all() {
    List<ConformanceCheck> all = new ArrayList<>();
    all.addAll(VersionChecks.all());
    all.addAll(VerbChecks.all());
    all.addAll(EnvironmentChecks.all());
    all.addAll(NameChecks.all());
    all.addAll(StdinChecks.all());
    all.addAll(ConfigVersionChecks.all());
    all.addAll(OutputChecks.all());
    all.addAll(ResultChecks.all());
    all.addAll(AddChecks.all());
    all.addAll(CheckChecks.all());
    all.addAll(DelChecks.all());
    all.addAll(ChainChecks.all());
    all.addAll(IpamChecks.all());
    all.addAll(DelegationChecks.all());
    all.addAll(GcChecks.all());
    all.addAll(StatusChecks.all());
    all.addAll(NetnsChecks.all());
    all.addAll(HostileChecks.all());
    all.addAll(ResidueChecks.all());
    return Collections.unmodifiableList(all);
  }
}
