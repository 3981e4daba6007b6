/**
 * Calico's main plugin: addresses from an IPAM plugin, a routed veth pair, and a WorkloadEndpoint
 * in Calico's datastore.
 */
@NullMarked
package io.ocicat.plugins.calico;

import org.jspecify.annotations.NullMarked;
