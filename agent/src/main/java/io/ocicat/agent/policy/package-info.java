/**
 * Computes the packet filter of one node from the cluster's policies, profiles, endpoints and
 * network sets, incrementally: labels decide which policies apply and what the members of sets are.
 */
@NullMarked
package io.ocicat.agent.policy;

import org.jspecify.annotations.NullMarked;
