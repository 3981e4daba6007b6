/** The services of CRI: requests become calls of sandboxes, containers and images. */
@NullMarked
package io.ocicat.cri.service;

import org.jspecify.annotations.NullMarked;
