package io.ocicat.cli.doctor;

import java.util.List;

/** Reports what the kernel cannot do. */
record KernelCheck() implements DoctorCheck {
  @Override
  public String name() {
    return "kernel";
  }

  @Override
  public List<DoctorFinding> run() {
    return KernelProbe.run().stream().map(KernelCheck::finding).toList();
  }

  private static DoctorFinding finding(KernelProbe.Missing missing) {
    KernelProbe.Feature feature = missing.feature();
    String what = "the kernel has no %s: %s".formatted(feature.name(), missing.reason());
    String why = "needed by " + feature.users();
    String action = "load the module or use a kernel with %s".formatted(feature.option());
    return feature.needed()
        ? DoctorFinding.problem(what, why, action)
        : DoctorFinding.note(what, why, action + ", if you use that");
  }
}
