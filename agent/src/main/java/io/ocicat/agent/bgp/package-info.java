/**
 * BGP as the cluster's resources want it on this node: the configuration of BIRD 2, computed from
 * the view.
 */
@NullMarked
package io.ocicat.agent.bgp;

import org.jspecify.annotations.NullMarked;
