package io.ocicat.agent.matrix;

/** The direction of a flow, as the endpoint that a policy selects sees it. */
enum Flow {
  INGRESS("Ingress", "ingress"),
  EGRESS("Egress", "egress");

  /** In lists of types. */
  final String type;

  /** The member of a policy that has its rules. */
  final String member;

  Flow(String type, String member) {
    this.type = type;
    this.member = member;
  }
}
