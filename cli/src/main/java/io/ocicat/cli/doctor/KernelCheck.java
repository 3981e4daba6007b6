package io.ocicat.cli.doctor;

import java.util.List;

/** What the kernel cannot do. */
record KernelCheck() implements Check {
  @Override
  public String name() {
    return "kernel";
  }

  @Override
  public List<Finding> look() {
    return KernelProbe.run().stream().map(KernelCheck::finding).toList();
  }

  private static Finding finding(KernelProbe.Missing missing) {
    KernelProbe.Feature feature = missing.feature();
    String what = "the kernel has no %s: %s".formatted(feature.name(), missing.reason());
    String why = "needed by " + feature.users();
    String action = "load the module or use a kernel with %s".formatted(feature.option());
    return feature.needed()
        ? Finding.problem(what, why, action)
        : Finding.note(what, why, action + ", if you use that");
  }
}
