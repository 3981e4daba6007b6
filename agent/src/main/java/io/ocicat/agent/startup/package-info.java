/**
 * What calico/node does before anything else: name, addresses, Node, pools, defaults, tunnel
 * addresses.
 */
@NullMarked
package io.ocicat.agent.startup;

import org.jspecify.annotations.NullMarked;
