package io.ocicat.conformance.check;

import static io.ocicat.conformance.check.ConformanceCheck.must;
import static io.ocicat.conformance.check.ConformanceCheck.should;
import static io.ocicat.conformance.subject.PluginKind.CHAINED;
import static io.ocicat.conformance.subject.PluginKind.INTERFACE;

import io.ocicat.cni.SpecVersion;
import io.ocicat.conformance.lab.AddedContainer;
import io.ocicat.conformance.lab.Lab;
import io.ocicat.conformance.lab.LabCall;
import io.ocicat.conformance.lab.LabContainer;
import io.ocicat.conformance.subject.Damage;
import java.util.List;
import java.util.Optional;

/** Checks that CHECK succeeds after ADD, and fails when something is missing. */
final class CheckChecks {
  private static final String SPEC = "spec 2, CHECK";
  private static final int OTHER_MTU = 1333;

  private CheckChecks() {}

  static List<ConformanceCheck> all() {
    return List.of(
        must(
                "check.after-add",
                "succeeds at CHECK right after ADD, however often it is called",
                SPEC,
                lab -> {
                  AddedContainer attached = lab.attach();
                  lab.run(lab.call("CHECK", attached)).succeeds();
                  lab.run(lab.call("CHECK", attached)).succeeds();
                })
            .since(SpecVersion.V0_4_0),
        must(
                "check.changes-nothing",
                "changes neither host nor container at CHECK",
                SPEC,
                CheckChecks::changesNothing)
            .since(SpecVersion.V0_4_0),
        should(
                "check.notices-loss",
                "fails at CHECK when something that it made is gone",
                SPEC,
                CheckChecks::noticesLoss)
            .since(SpecVersion.V0_4_0)
            .unless(
                (profile, _) ->
                    profile.loss() == Damage.NOTHING
                        ? Optional.of("the plugin keeps nothing that could get lost")
                        : Optional.empty()),
        should(
                "check.needs-prev-result",
                "refuses CHECK without prevResult, which it has to compare with",
                SPEC,
                lab -> {
                  var config = lab.config(lab.attach()).without("prevResult");
                  lab.run(lab.call("CHECK", config)).fails();
                })
            .on(INTERFACE, CHAINED)
            .since(SpecVersion.V0_4_0));
  }

  private static void changesNothing(Lab lab) {
    AddedContainer attached = lab.attach();
    var host = lab.host().snapshot();
    var container = attached.container().namespace().snapshot();
    lab.run(lab.call("CHECK", attached)).succeeds();
    Expect.unchanged("the host", host, lab.host()::snapshot);
    Expect.unchanged("the container", container, attached.container().namespace()::snapshot);
  }

  private static void noticesLoss(Lab lab) {
    AddedContainer attached = lab.attach();
    lab.run(afterLoss(lab, attached)).fails();
  }

  private static LabCall afterLoss(Lab lab, AddedContainer attached) {
    LabCall check = lab.call("CHECK", attached);
    LabContainer container = attached.container();
    return switch (lab.profile().loss()) {
      case INTERFACE -> {
        container.namespace().delete(container.ifName());
        yield check;
      }
      case LINK_DOWN -> {
        container.namespace().down(container.ifName());
        yield check;
      }
      case MTU -> {
        container.namespace().mtu(container.ifName(), OTHER_MTU);
        yield check;
      }
      case DATA -> {
        lab.files().loseData();
        yield check;
      }
      case SERVICE -> {
        lab.service().forget();
        yield check;
      }
      case HOST -> check.in(lab.newHost());
      case EVERYTHING -> {
        container.namespace().delete(container.ifName());
        lab.files().loseData();
        yield check.in(lab.newHost());
      }
      case NOTHING -> check;
    };
  }
}
