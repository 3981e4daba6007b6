package io.ocicat.agent.kernel;

/**
 * What an operator can ask of the packet filter, apart from Felix's parameters.
 *
 * @param takesOver whether tables that Felix left are deleted in the transaction that puts ours
 *     into force
 * @param endsDenied whether connections that a new policy denies are ended; otherwise they go on,
 *     as with Felix
 */
public record FilterOptions(boolean takesOver, boolean endsDenied) {
  public static final FilterOptions USUAL = new FilterOptions(false, false);
}
