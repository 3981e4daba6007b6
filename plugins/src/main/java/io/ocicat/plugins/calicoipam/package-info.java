/**
 * The {@code calico-ipam} plugin: allocates addresses from Calico's blocks, with the same
 * affinities and handles.
 */
@NullMarked
package io.ocicat.plugins.calicoipam;

import org.jspecify.annotations.NullMarked;
