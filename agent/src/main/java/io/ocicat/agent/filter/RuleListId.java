package io.ocicat.agent.filter;

/**
 * Names the rules of one policy or profile in one direction, which all endpoints share.
 *
 * @param owner kind, namespace and name as Calico abbreviates them: {@code np/shop/allow-web},
 *     {@code gnp//deny-all}, {@code knp/shop/web}, {@code pro//kns.shop}
 */
public record RuleListId(String owner, PolicyDirection direction) {
  @Override
  public String toString() {
    return owner + (direction == PolicyDirection.INGRESS ? " ingress" : " egress");
  }
}
