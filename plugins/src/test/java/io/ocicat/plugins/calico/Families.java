package io.ocicat.plugins.calico;

import java.util.ArrayList;
import java.util.List;

/** The address families of pods. */
enum Families {
  V4(true, false),
  V6(false, true),
  BOTH(true, true);

  private final boolean v4;
  private final boolean v6;

  Families(boolean v4, boolean v6) {
    this.v4 = v4;
    this.v6 = v6;
  }

  boolean hasV4() {
    return v4;
  }

  boolean hasV6() {
    return v6;
  }

  /** One of each family for host-local. */
  String[] subnets() {
    List<String> subnets = new ArrayList<>();
    if (v4) {
      subnets.add(CalicoContract.V4);
    }
    if (v6) {
      subnets.add(CalicoContract.V6);
    }
    return subnets.toArray(String[]::new);
  }
}
