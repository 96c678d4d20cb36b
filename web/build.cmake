# cmake -DSOURCE=web -DPLACE=build/web -DNPM=npm [-DPICTURES=scenes/pictures] [-DONLY_INSTALL=ON] -P build.cmake
# Copies the page's sources to PLACE/src, installs their packages there, and builds PLACE/dist.
set(copy ${PLACE}/src)
set(kept index.html package.json package-lock.json tsconfig.json vite.config.ts .prettierrc.json .prettierignore)
foreach(folder src public test)
  # Files deleted from the sources must not remain in the copy.
  file(REMOVE_RECURSE ${copy}/${folder})
  file(COPY ${SOURCE}/${folder} DESTINATION ${copy})
endforeach()
foreach(name ${kept})
  file(COPY ${SOURCE}/${name} DESTINATION ${copy})
endforeach()

# Runs npm ci only if the required packages have changed, because it takes minutes on a slow connection.
file(SHA256 ${SOURCE}/package-lock.json wanted)
set(stamp ${copy}/node_modules/supple.stamp)
set(installed "")
if(EXISTS ${stamp})
  file(READ ${stamp} installed)
endif()
if(NOT installed STREQUAL wanted)
  # npm's cache is in PLACE too: a build writes nothing outside its folder.
  execute_process(COMMAND ${NPM} ci --no-audit --no-fund --no-update-notifier --cache ${PLACE}/npm_cache
    WORKING_DIRECTORY ${copy} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "npm ci failed in ${copy}: the page's packages cannot be had")
  endif()
  file(WRITE ${stamp} ${wanted})
endif()
if(ONLY_INSTALL)
  return()
endif()

execute_process(COMMAND ${NPM} run build -- --outDir ${PLACE}/dist.part --emptyOutDir
  WORKING_DIRECTORY ${copy} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the page does not build")
endif()
file(GLOB pictures ${PICTURES}/*.png)
file(COPY ${pictures} DESTINATION ${PLACE}/dist.part/scenes)
# An open page finds either the old or the new page, complete. The engine that was put there stays.
if(IS_DIRECTORY ${PLACE}/dist/engine)
  file(RENAME ${PLACE}/dist/engine ${PLACE}/dist.part/engine)
endif()
file(REMOVE_RECURSE ${PLACE}/dist)
file(RENAME ${PLACE}/dist.part ${PLACE}/dist)
